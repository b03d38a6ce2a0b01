"""What an ontology entails by itself, without a stream and without unique names."""
