// Lets apps import only this module for catalogues and their client.
@_exported public import OPDS
