// Lets apps import only this module for tags and the providers' contracts.
@_exported public import FileProviderCore
