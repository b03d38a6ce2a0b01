"""Sinks of the service: databases, files, brokers and webhooks."""
