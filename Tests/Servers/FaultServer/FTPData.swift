import Foundation

/// How the next data connection comes about.
enum FTPDataWay {
    case none
    /// The client comes to this listening socket; -1 where that is closed on purpose.
    case passive(Int32)
    /// The client waits at this port.
    case active(Int)

    func close() {
        if case .passive(let listener) = self, listener >= 0 { Foundation.close(listener) }
    }
}

/// How a transfer ended.
enum FTPEnding {
    case complete
    /// A fault ended it, with this final reply.
    case cut(String)
    /// The client closed or reset the data connection, or none came about.
    case failed(String)
    case aborted
    /// The control connection has gone.
    case lost
}

/// What is sent over a data connection.
struct FTPContent {
    var data: Data
    var isEndless = false

    /// At most so many bytes from a position; none at the end.
    func piece(at position: Int, atMost count: Int) -> Data {
        if data.isEmpty { return data }
        let start = data.startIndex + (isEndless ? position % data.count : min(position, data.count))
        return Data(data[start..<min(data.endIndex, start + count)])
    }
}

/// What the faults say about a transfer.
struct FTPTransferPlan {
    private(set) var limit: Int?
    /// With which final reply the transfer ends at the limit; nil for a stall.
    private(set) var reply: String?
    private(set) var isReset = false
    private(set) var slow: (bytes: Int, pause: Double)?
    private(set) var mark: String?
    private(set) var hasMark = true
    private(set) var isReplyFirst = false
    private(set) var final: String?
    private(set) var content: FTPContent?
    private(set) var rule = FTPDouble.OffsetRule.overwrite
    private(set) var origin: String?
    private(set) var storing: (@Sendable (Data) -> Data)?

    init(_ faults: [FTPDouble.Fault]) {
        for fault in faults {
            switch fault {
            case .closeDataAfter(let count, let text): (limit, reply) = (count, text)
            case .resetDataAfter(let count, let text): (limit, reply, isReset) = (count, text, true)
            case .stallDataAfter(let count): limit = count
            case .slowData(let bytes, let pause): slow = (max(1, bytes), pause)
            case .mark(let text): (mark, hasMark) = (text, text != nil)
            case .finalReplyFirst: isReplyFirst = true
            case .replyAfterDoing(let text): final = text
            case .data(let data): content = FTPContent(data: data)
            case .endlessData(let data): content = FTPContent(data: data.repeated, isEndless: true)
            case .offset(let rule): self.rule = rule
            case .dataFrom(let address): origin = address
            case .storing(let change): storing = change
            default: break
            }
        }
    }

    /// How many bytes may move now.
    func room(after moved: Int) -> Int {
        max(0, min(slow?.bytes ?? 65_536, (limit ?? .max) - moved))
    }
}

extension Data {
    /// As often as fills a packet, so that what has no end is quick.
    var repeated: Data {
        isEmpty ? self : Data(repeatElement(self, count: Swift.max(1, 16_384 / count)).joined())
    }
}
