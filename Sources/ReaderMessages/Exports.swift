// Apps need only this import: it includes the providers' contracts that this module builds on.
@_exported public import FileProviderCore
