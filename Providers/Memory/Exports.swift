// One import for apps: the provider, and the protocols that it implements.
@_exported public import FileProviderCore
