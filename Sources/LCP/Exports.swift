// Lets apps import only this module for protected books and publications.
@_exported public import Publication
