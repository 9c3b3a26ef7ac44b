// One import for apps: the library, the protocol that it serves, and the contracts of providers.
@_exported public import FileProviderCore
@_exported public import ReaderLink
