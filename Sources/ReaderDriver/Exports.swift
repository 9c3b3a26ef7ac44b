// Apps need only this import: it includes the messages that this module exchanges.
@_exported public import ReaderMessages
