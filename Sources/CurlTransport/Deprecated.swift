// Former names, for apps that still use them.

extension FTPCommand {
    /// The former form of ``init(_:argument:)``, without a label.
    @available(*, deprecated, renamed: "init(_:argument:)")
    public init(_ verb: String, _ argument: some Sequence<UInt8>) throws { try self.init(verb, argument: argument) }
}

extension FTPExchange {
    /// The former name of ``Resumption``.
    @available(*, deprecated, renamed: "Resumption")
    public typealias Continuing = Resumption
}
