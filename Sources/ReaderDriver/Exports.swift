// One import for apps: this module, and the messages that it exchanges.
@_exported public import ReaderMessages
