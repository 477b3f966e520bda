"""What all learned models share: options and their files, model files, threads."""
