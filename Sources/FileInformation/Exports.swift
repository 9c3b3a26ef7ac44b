// Lets apps import only this module for file information and the providers' contracts.
@_exported public import FileProviderCore
