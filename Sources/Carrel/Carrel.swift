// One import for apps: the contracts, the built-in providers, and books.
@_exported public import FTPFileProvider
@_exported public import FileInformation
@_exported public import FileProviderCore
@_exported public import FileProviderUndo
@_exported public import HTTPFileProvider
@_exported public import LocalFileProvider
@_exported public import MemoryFileProvider
@_exported public import PredicateFormat
@_exported public import Publication
@_exported public import PublicationCache
@_exported public import ReaderLink
@_exported public import S3FileProvider
@_exported public import SFTPFileProvider
@_exported public import SafeXML
@_exported public import WebDAVFileProvider
