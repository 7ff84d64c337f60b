"""Nothing in, the version of this package out."""

__all__ = ["__version__"]

__version__ = "0.1.0"
