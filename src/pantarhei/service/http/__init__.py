"""HTTP server of the service: SPARQL, registered queries, changes as events, messages, metrics and a page."""
