"""Networks that score parts. They are trained with PyTorch (the extra ``neural``) and run without it."""
