"""A browser in, the calculator out: a page on this machine only, over the same core as the command line.

`service` answers questions in plain data, `app` gives them routes and keeps strangers out, `server` starts it. The page
itself is in `static/`: hand-written modules, nothing loaded from elsewhere.
"""
