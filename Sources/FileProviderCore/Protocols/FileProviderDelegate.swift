import Foundation
import Synchronization

/// Receives reports on the operations of a provider.
///
/// It is called for operations that were started with a completion handler; a caller that awaits an operation gets its
/// outcome anyway. Calls are made one after the other, on the private serial queue of the completion handlers, before
/// the operation's own handler.
public protocol FileProviderDelegate: AnyObject, Sendable {
    /// Called when the operation has succeeded.
    func fileproviderSucceed(_ fileProvider: any FileProviderBasic, operation: FileOperationType)
    /// Called when the operation has failed with `error`, which its handler gets, too; after a cancellation that is
    /// `CocoaError(.userCancelled)`.
    func fileproviderFailed(_ fileProvider: any FileProviderBasic, operation: FileOperationType, error: any Error)
    /// Called when the operation has made progress.
    ///
    /// - Parameter progress: 0 to 1. Skips reports that a slow delegate has not received before the next one.
    func fileproviderProgress(_ fileProvider: any FileProviderBasic, operation: FileOperationType, progress: Float)
}

extension FileProviderDelegate {
    /// The default ignores progress.
    public func fileproviderProgress(
        _ fileProvider: any FileProviderBasic, operation: FileOperationType, progress: Float
    ) {}
}

/// Allows or forbids operations that change something; called as a ``FileProviderDelegate`` is.
public protocol FileOperationDelegate: AnyObject, Sendable {
    /// Returns whether the operation may begin. After a veto its handler gets `CocoaError(.userCancelled)`, once.
    func fileProvider(_ fileProvider: any FileProviderBasic, shouldDoOperation operation: FileOperationType) -> Bool
    /// Returns whether to copy or remove the rest of a folder after one item failed; `operation` names that item.
    ///
    /// Called if Core works through the folder item by item; a storage that does so by itself stops at its first
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
    /// Receives reports on operations. Held weakly.
    public var delegate: (any FileProviderDelegate)? {
        get { ProviderDelegates.shared.of(self).delegate }
        set { ProviderDelegates.shared.change(of: self) { $0.delegate = newValue } }
    }

    /// Allows or forbids operations. Held weakly.
    public var fileOperationDelegate: (any FileOperationDelegate)? {
        get { ProviderDelegates.shared.of(self).operationDelegate }
        set { ProviderDelegates.shared.change(of: self) { $0.operationDelegate = newValue } }
    }
}

/// The delegates of all providers, kept here so that providers need not store them.
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
            // An identifier may belong to another object by now.
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
