"""The server's side of a connection: what a client may send and how slowly, before any application sees a request.

uvicorn's parsers keep an unfinished header of any length and wait for the rest of a request for ever. The classes here
are uvicorn's protocols with limits; :mod:`app.server.limits` lists them.
"""
