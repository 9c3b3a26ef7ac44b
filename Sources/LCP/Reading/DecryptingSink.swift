import Cryptography
import FileProviderCore
import Foundation
import Synchronization

/// Decrypts a part of a cipher text on the thread that delivers it, and passes on the wanted plain text.
final class DecryptingSink: ByteSink {
    /// The part to read.
    struct Plan: Sendable {
        /// For messages.
        let href: String
        let extent: CipherExtent
        /// The plain text that is wanted, not empty unless it is everything; its end may be behind that of the plain
        /// text.
        let wanted: Range<Int64>
        /// The cipher text that is read for it.
        let cipher: Range<Int64>
        /// The length of the plain text, if it is known.
        let length: Int64?
    }

    /// The most plain text in the buffer.
    private static let largestBuffer = 256 << 10

    private let base: any ByteSink
    private let plan: Plan
    private let key: LicenseKey
    private let found: @Sendable (_ length: Int64) -> Void
    private let state: Mutex<State>

    /// - Parameter found: Called with the length of the plain text once the last block shows it.
    init(_ base: any ByteSink, plan: Plan, key: LicenseKey, found: @escaping @Sendable (_ length: Int64) -> Void) {
        self.base = base
        self.plan = plan
        self.key = key
        self.found = found
        state = Mutex(State(plan, capacity: Int(min(Int64(Self.largestBuffer), Int64(plan.cipher.count)))))
    }

    /// - Throws: `CocoaError(.fileReadUnknown)` if the cipher text is not the one that was asked about.
    func begin(_ extent: FileExtent) throws {
        guard extent.offset == plan.cipher.lowerBound, extent.size < 0 || extent.size == plan.extent.length else {
            throw FileError.make(
                .fileReadUnknown, path: plan.href,
                sentence: "“\(plan.href)” changed while it was being read; read it again.")
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        // Calls are sequential, so this lock is uncontended while the sink below blocks.
        try state.withLock { state in
            var (rest, flow) = (bytes, FlowState.ready)
            while !rest.isEmpty {
                let count = try take(rest, &state)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                if try deliver(&state) == .wait { flow = .wait }
            }
            return flow
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }

    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the cipher text ended before the part did. Call it after the last
    ///   byte.
    func finish() throws {
        let position = state.withLock { $0.position }
        if position < plan.cipher.upperBound { throw damaged("it ends at byte \(position) of \(plan.extent.length)") }
    }

    // MARK: Decrypting

    /// Decrypts as much as the buffer has room for.
    ///
    /// - Returns: Bytes used.
    private func take(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws -> Int {
        guard state.position + Int64(bytes.count) <= plan.cipher.upperBound else {
            throw damaged("it is longer than \(plan.extent.length) bytes")
        }
        var used = 0
        if state.decryptor == nil {
            used = state.fillBlock(from: bytes)
            guard state.carried == State.block else { return used }
            state.decryptor = AESCBCDecryptor(
                key: key.contentKey, initializationVector: UnsafeRawBufferPointer(state.carry))
            state.carried = 0
        }
        guard let decryptor = state.decryptor else { return used }
        if state.carried > 0 {
            used += state.fillBlock(from: UnsafeRawBufferPointer(rebasing: bytes[used...]))
            guard state.carried == State.block else { return used }
            decryptor.update(UnsafeRawBufferPointer(state.carry), into: state.free)
            state.filled += State.block
            state.carried = 0
        }
        let whole = min(bytes.count - used, state.free.count) / State.block * State.block
        if whole > 0 {
            decryptor.update(UnsafeRawBufferPointer(rebasing: bytes[used..<used + whole]), into: state.free)
            state.filled += whole
            state.position += Int64(whole)
            used += whole
        }
        if bytes.count - used < State.block {
            used += state.fillBlock(from: UnsafeRawBufferPointer(rebasing: bytes[used...]))
        }
        if state.hasLastBlock(plan) { try strip(&state) }
        return used
    }

    /// Removes the padding from the last block, which shows the length of the plain text.
    private func strip(_ state: inout State) throws {
        let padding = Int(state.buffer[state.filled - 1])
        guard (1...State.block).contains(padding) else {
            throw damaged("its last block cannot be decrypted, or it belongs to another key")
        }
        state.filled -= padding
        let length = state.offset + Int64(state.filled)
        if let known = plan.length, known != length {
            throw damaged("it decrypts to \(length) bytes instead of \(known)")
        }
        state.length = length
        found(length)
    }

    /// Passes on what the buffer has of the wanted plain text. If the length would be unknown without the last block and
    /// all fits into the buffer, that is only done then.
    private func deliver(_ state: inout State) throws -> FlowState {
        let isDone = state.position == plan.cipher.upperBound && state.carried == 0
        if state.length == nil, state.isShort(plan), !isDone { return .ready }
        let held = state.offset..<state.offset + Int64(state.filled)
        let part = plan.wanted.clamped(to: held)
        if !state.hasBegun, !part.isEmpty || isDone {
            state.hasBegun = true
            try base.begin(extent(state.length))
        }
        state.offset = held.upperBound
        state.filled = 0
        guard !part.isEmpty else { return .ready }
        let (start, end) = (Int(part.lowerBound - held.lowerBound), Int(part.upperBound - held.lowerBound))
        return try base.write(UnsafeRawBufferPointer(rebasing: state.buffer[start..<end]))
    }

    /// What to announce, with the length of the plain text if that is known.
    private func extent(_ length: Int64?) -> FileExtent {
        let wanted = plan.wanted
        if let length {
            let part = wanted.clamped(to: 0..<length)
            return FileExtent(offset: part.lowerBound, count: Int64(part.count), size: length)
        }
        let isKnown = wanted.upperBound <= plan.extent.lastBlock
        return FileExtent(offset: wanted.lowerBound, count: isKnown ? Int64(wanted.count) : -1, size: -1)
    }

    private func damaged(_ why: String) -> CocoaError {
        FileError.make(
            .fileReadCorruptFile, path: plan.href,
            sentence: "“\(plan.href)” is damaged, or the licence's key is not its own: \(why).")
    }
}

/// The progress of one read.
///
/// Unchecked: the memory and the decryptor have one owner, which cannot be copied.
private struct State: ~Copyable, @unchecked Sendable {
    static let block = 16

    /// Nil before the initialization vector has arrived.
    var decryptor: AESCBCDecryptor?
    /// An incomplete block, or the vector.
    let carry = UnsafeMutableRawBufferPointer.allocate(byteCount: State.block, alignment: 16)
    /// How many bytes ``carry`` has.
    var carried = 0
    /// Plain text that was not passed on.
    let buffer: UnsafeMutableRawBufferPointer
    /// How many bytes ``buffer`` has.
    var filled = 0
    /// The offset in the cipher text of the next byte to arrive.
    var position: Int64
    /// The offset in the plain text of the first byte in ``buffer``.
    var offset: Int64
    /// The length of the plain text, if it is known.
    var length: Int64?
    var hasBegun = false

    init(_ plan: DecryptingSink.Plan, capacity: Int) {
        buffer = .allocate(byteCount: capacity, alignment: 16)
        position = plan.cipher.lowerBound
        offset = plan.cipher.lowerBound
        length = plan.length
    }

    deinit {
        carry.deallocate()
        buffer.deallocate()
    }

    /// The part of ``buffer`` that is not in use. Before a block is decrypted, it has room for one: what is passed on
    /// leaves the buffer empty, and what is held back fits into it.
    var free: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]) }

    /// Adds bytes to ``carry``, up to a block.
    ///
    /// - Returns: Bytes used.
    mutating func fillBlock(from bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(Self.block - carried, bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: carry[carried..<carried + count]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        carried += count
        position += Int64(count)
        return count
    }

    /// Whether ``buffer`` ends with the last block of the cipher text.
    func hasLastBlock(_ plan: DecryptingSink.Plan) -> Bool {
        filled > 0 && offset + Int64(filled) == plan.extent.length - CipherExtent.block
    }

    /// Whether the whole part fits into ``buffer``, and ends with the last block.
    func isShort(_ plan: DecryptingSink.Plan) -> Bool {
        plan.cipher.upperBound == plan.extent.length && plan.cipher.count <= buffer.count
    }
}
