public import Foundation

extension ProgressUserInfoKey {
    /// The ``FileOperationType`` that a `Progress` belongs to.
    public static let fileProviderOperationTypeKey = ProgressUserInfoKey("carrel.fileProviderOperationType")
    /// The `Date` at which the operation started.
    public static let startingTimeKey = ProgressUserInfoKey("carrel.startingTime")
    /// The name of an older interface, misspelt.
    @available(*, deprecated, renamed: "fileProviderOperationTypeKey")
    public static var fileProvderOperationTypeKey: ProgressUserInfoKey { fileProviderOperationTypeKey }
}

extension Progress.FileOperationKind {
    /// Bytes go to a provider. Named as in Foundation on Apple's systems.
    public static let uploading = Progress.FileOperationKind(rawValue: "NSProgressFileOperationKindUploading")
}

extension Progress {
    /// Bytes a second since the operation started, named as on Apple's systems; nil before the first byte, and for a
    /// `Progress` that Carrel did not make.
    public var throughput: Int? { (self as? OperationProgress)?.rate.map { Int($0) } }

    /// Seconds left at ``throughput``, named as on Apple's systems; nil while that, or the number of bytes, is unknown.
    public var estimatedTimeRemaining: TimeInterval? { (self as? OperationProgress)?.timeLeft }
}

/// The `Progress` of one operation, safe to read from any thread.
///
/// Foundation's class has no lock here, and updating a child writes to its parent. So every access to one of ours, and
/// through it to the tree above, takes the same process-wide lock. `userInfo` is filled once, before the object is
/// shared, because its getter cannot be overridden: rate and time left are properties instead.
final class OperationProgress: Progress, @unchecked Sendable {
    // Unchecked: everything mutable is reached only under `lock`.
    private static let lock = NSRecursiveLock()
    private let start = ContinuousClock.now
    private var isOver = false

    init(_ operation: FileOperationType, kind: FileOperationKind?, unitCount: Int64, isPart: Bool = false) {
        var userInfo: [ProgressUserInfoKey: Any] = [.fileProviderOperationTypeKey: operation, .startingTimeKey: Date()]
        userInfo[.fileOperationKindKey] = kind
        super.init(parent: isPart ? nil : Progress.current(), userInfo: userInfo)
        super.totalUnitCount = unitCount
        if kind != nil { self.kind = .file }
    }

    override var totalUnitCount: Int64 {
        get { Self.lock.withLock { super.totalUnitCount } }
        set { Self.lock.withLock { super.totalUnitCount = newValue } }
    }

    override var completedUnitCount: Int64 {
        get { Self.lock.withLock { super.completedUnitCount } }
        set { Self.lock.withLock { super.completedUnitCount = newValue } }
    }

    /// False until the operation is over, whatever the counts say: a transferred file may still have to get its name,
    /// and removals count no bytes.
    override var isFinished: Bool { Self.lock.withLock { isOver } }

    var rate: Double? {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let done = completedUnitCount
        return kind == .file && done > 0 && seconds > 0 ? Double(done) / seconds : nil
    }

    var timeLeft: TimeInterval? {
        guard let rate, totalUnitCount > 0 else { return nil }
        return Double(totalUnitCount - completedUnitCount) / rate
    }

    /// The completed share, 0 to 1; 0 while the total is unknown.
    var share: Double {
        Self.lock.withLock {
            totalUnitCount > 0 ? min(1, max(0, Double(completedUnitCount) / Double(totalUnitCount))) : 0
        }
    }

    /// Adds a part, which counts by its reporter and not by its share.
    func add(_ part: OperationProgress) { Self.lock.withLock { addChild(part, withPendingUnitCount: 0) } }

    /// Applies a report.
    func follow(completed: Int64, total: Int64?) {
        Self.lock.withLock {
            if let total, total != totalUnitCount { totalUnitCount = total }
            completedUnitCount = completed
        }
    }

    /// Marks the operation as done, whatever its counts.
    func finish() {
        Self.lock.withLock {
            isOver = true
            if totalUnitCount <= 0 { totalUnitCount = max(1, completedUnitCount) }
            completedUnitCount = totalUnitCount
        }
    }
}
