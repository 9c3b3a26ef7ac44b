// One import for apps: the provider, and the protocols that it conforms to.
@_exported public import FileProviderCore
