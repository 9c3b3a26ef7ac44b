// Lets apps import only this module for the server, the shelf that it serves, and requests and answers as values.
@_exported public import Shelf
@_exported public import WebServer
