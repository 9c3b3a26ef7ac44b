// One import for apps: the provider, what it is made of, and the contracts that it keeps.
@_exported public import FileProviderCore
@_exported public import HTTPFileProvider
