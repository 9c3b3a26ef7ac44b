import Foundation
import Synchronization

/// Hears how operations of a provider go.
///
/// It hears of those that were started with a completion handler; who awaits an operation has its outcome in hand.
/// Calls come one after the other, on the private serial queue of the completion handlers, before the operation's own
/// handler.
public protocol FileProviderDelegate: AnyObject, Sendable {
    /// The operation is done.
    func fileproviderSucceed(_ fileProvider: any FileProviderBasic, operation: FileOperationType)
    /// The operation ended with `error`, which its own handler gets, too; after a cancellation that is
    /// `CocoaError(.userCancelled)`.
    func fileproviderFailed(_ fileProvider: any FileProviderBasic, operation: FileOperationType, error: any Error)
    /// The operation goes on.
    ///
    /// - Parameter progress: 0 to 1. Calls that a slow delegate has not come to yet are left out.
    func fileproviderProgress(_ fileProvider: any FileProviderBasic, operation: FileOperationType, progress: Float)
}

extension FileProviderDelegate {
    /// The default hears nothing of progress.
    public func fileproviderProgress(
        _ fileProvider: any FileProviderBasic, operation: FileOperationType, progress: Float
    ) {}
}

/// Has a say in operations that change something: asked as ``FileProviderDelegate`` is told.
public protocol FileOperationDelegate: AnyObject, Sendable {
    /// Whether the operation may begin. After a veto its handler gets `CocoaError(.userCancelled)`, once.
    func fileProvider(_ fileProvider: any FileProviderBasic, shouldDoOperation operation: FileOperationType) -> Bool
    /// Whether the rest of a folder is to be copied or removed although one item failed; `operation` names that item.
    ///
    /// Asked where Core works through the folder item by item; a storage that does it by itself stops at its first
    /// failure.
    func fileProvider(
        _ fileProvider: any FileProviderBasic, shouldProceedAfterError error: any Error, operation: FileOperationType
    ) -> Bool
}

extension FileOperationDelegate {
    /// The default stops at the first failure.
    public func fileProvider(
        _ fileProvider: any FileProviderBasic, shouldProceedAfterError error: any Error, operation: FileOperationType
    ) -> Bool { false }
}

extension FileProviderBasic {
    /// Hears how operations go. Held weakly.
    public var delegate: (any FileProviderDelegate)? {
        get { ProviderDelegates.shared.of(self).delegate }
        set { ProviderDelegates.shared.change(of: self) { $0.delegate = newValue } }
    }

    /// Has a say in operations. Held weakly.
    public var fileOperationDelegate: (any FileOperationDelegate)? {
        get { ProviderDelegates.shared.of(self).operationDelegate }
        set { ProviderDelegates.shared.change(of: self) { $0.operationDelegate = newValue } }
    }
}

/// The delegates of all providers, kept here so that no provider has to store any.
final class ProviderDelegates: Sendable {
    static let shared = ProviderDelegates()

    struct Entry: Sendable {
        weak var provider: (any FileProviderBasic)?
        weak var delegate: (any FileProviderDelegate)?
        weak var operationDelegate: (any FileOperationDelegate)?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func of(_ provider: any FileProviderBasic) -> Entry {
        entries.withLock { entries in
            // An identifier may have passed on to another object.
            guard let entry = entries[ObjectIdentifier(provider)], entry.provider === provider else {
                return Entry(provider: provider)
            }
            return entry
        }
    }

    func change(of provider: any FileProviderBasic, _ change: (inout Entry) -> Void) {
        var entry = of(provider)
        change(&entry)
        entries.withLock { entries in
            entries = entries.filter { $0.value.provider != nil }
            entries[ObjectIdentifier(provider)] = entry
        }
    }
}
