// One import for apps: the provider, and the contracts that it keeps.
@_exported public import FileProviderCore
