// Lets apps import only this module for the server and the publications that it serves.
@_exported public import Publication
