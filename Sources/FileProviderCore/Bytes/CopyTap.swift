import Foundation

/// Sees the bytes of a copy as they pass, and may slow them down. Its calls come one after the other, on a transport's
/// thread.
public protocol CopyTap: Sendable {
    /// The most bytes to pass at once; for sources that are pulled.
    var maxAtOnce: Int { get }
    /// Whether bytes may pass now; for sources that are pulled.
    var isOpen: Bool { get }

    /// Called before the first byte, with what is about to be read.
    ///
    /// - Throws: An error that ends the copy.
    func begin(_ extent: FileExtent) throws

    /// Called when the bytes from `offset` on are about to pass, again if the target asks for them again.
    ///
    /// - Throws: An error that keeps the bytes from the target.
    func restart(at offset: Int64) throws

    /// Called after the target took `bytes`.
    ///
    /// - Returns: `.wait` if no more may pass before ``whenReady(_:)`` calls back.
    /// - Throws: An error that ends the copy.
    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState

    /// Calls `resume` once when bytes may pass.
    func whenReady(_ resume: @escaping @Sendable () -> Void)

    /// Called after the last byte, before the file is published.
    ///
    /// - Throws: An error that keeps the file from being published.
    func finish() throws
}

extension CopyTap {
    /// The default sets no limit.
    public var maxAtOnce: Int { .max }
    /// The default is always open.
    public var isOpen: Bool { true }
    /// The default looks at nothing.
    public func begin(_ extent: FileExtent) throws {}
    /// The default forgets nothing.
    public func restart(at offset: Int64) throws {}
    /// The default calls back at once.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
    /// The default agrees.
    public func finish() throws {}
}
