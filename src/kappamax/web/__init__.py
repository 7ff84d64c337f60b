"""Serve a web page that computes agreement, its maximum and its tests on the local machine.

`app` defines the routes, `access` asks for the token, `bodies` receives requests, `schemas` checks them, `pool` passes
them to worker processes (`worker`), `handlers` and `moves` compute the answers, and `server` runs the application
within the `limits`. The page itself is in `static/`; it consists of JavaScript modules without dependencies and loads
nothing from other sites.
"""
