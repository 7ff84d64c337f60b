"""Read the exports of annotation tools, with one module for each tool."""
