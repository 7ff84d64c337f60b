"""Write reports as HTML, plain text, JSON, CSV, LaTeX and Markdown, one module per format."""
