"""The calculator as a page in the browser, served on this machine only.

`app` has the routes, `schemas` checks requests, `pool` hands them to processes (`worker`), `handlers` and `moves`
answer them, and `server` runs it all. The page itself is in `static/`: hand-written modules, nothing loaded from
elsewhere.
"""
