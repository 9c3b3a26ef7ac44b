// Lets apps import only this module for caches and publications.
@_exported public import Publication
