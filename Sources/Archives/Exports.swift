// Lets apps import only this module for archives and the providers' contracts.
@_exported public import FileProviderCore
