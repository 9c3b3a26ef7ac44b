// Both sides of the protocol with reader applications.
@_exported public import ReaderApplication
@_exported public import ReaderDriver
