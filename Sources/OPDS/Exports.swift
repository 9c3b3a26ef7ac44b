// Lets apps import only this module for catalogues and publications.
@_exported public import Publication
