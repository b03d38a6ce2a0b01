"""Sources of the service: brokers, HTTP, files and standard input."""
