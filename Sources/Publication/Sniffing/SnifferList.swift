import FileProviderCore
import MediaTypes

/// An ordered list of sniffers that may change while others read it.
public final class SnifferList: Sendable {
    private let list: LockedValue<[MediaType.Sniffer]>

    /// A list that is asked in the order of `sniffers`; the first answer counts.
    public init(_ sniffers: [MediaType.Sniffer]) {
        list = LockedValue(sniffers)
    }

    /// The sniffers, in the order in which they are asked. Assigning replaces them all; ``add(_:)-(MediaType.Sniffer)``
    /// loses nobody else's.
    public var all: [MediaType.Sniffer] {
        get { list.value }
        set { list.update { $0 = newValue } }
    }

    /// Adds a sniffer, asked after the others.
    public func add(_ sniffer: @escaping MediaType.Sniffer) { list.update { $0.append(sniffer) } }

    /// Adds a sniffer of the first proposal's form, asked after the others.
    public func add(_ sniffer: @escaping Format.Sniffer) { add(Format.adapted(sniffer)) }

    /// The sniffers of the list, and then others.
    public static func + (list: SnifferList, others: [MediaType.Sniffer]) -> [MediaType.Sniffer] { list.all + others }

    /// The sniffers of the list, and then others of the first proposal's form.
    public static func + (list: SnifferList, others: [Format.Sniffer]) -> [MediaType.Sniffer] {
        list.all + others.map(Format.adapted)
    }
}
