// Apps need only this import: it includes the protocol that the library serves and the contracts of providers.
@_exported public import FileProviderCore
@_exported public import ReaderLink
