// Lets apps import only this module for the server, the values that it exchanges, and the publications that it serves.
@_exported public import Publication
@_exported public import WebServer
