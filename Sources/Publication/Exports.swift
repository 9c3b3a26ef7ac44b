// One import for apps: this module, and what its publications are made of.
@_exported public import Archives
@_exported public import FileProviderCore
@_exported public import MediaTypes
