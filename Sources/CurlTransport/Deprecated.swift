// Names that were changed, for apps that use them still.

extension FTPCommand {
    /// The form without a label that ``init(_:argument:)`` had.
    @available(*, deprecated, renamed: "init(_:argument:)")
    public init(_ verb: String, _ argument: some Sequence<UInt8>) throws { try self.init(verb, argument: argument) }
}

extension FTPExchange {
    /// The name that ``Resumption`` had.
    @available(*, deprecated, renamed: "Resumption")
    public typealias Continuing = Resumption
}
