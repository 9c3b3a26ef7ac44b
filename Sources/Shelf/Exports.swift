// Lets apps import only this module for the shelf, the publications that it opens and the contracts of providers.
@_exported public import FileProviderCore
@_exported public import Publication
