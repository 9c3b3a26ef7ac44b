// One import for apps: this module, and the contracts of the providers that it works on.
@_exported public import FileProviderCore
