@testable import FTPFileProvider
import FileProviderCore
import Foundation

/// What a server sends for a folder, and the items in it; the listing was made on 10 March 2019 at 12:00 UTC.
struct ListingSample: Sendable, CustomStringConvertible {
    var server: String
    var listing: String
    var items: [Item]

    var description: String { server }

    struct Item: Sendable, Equatable {
        var name: String
        var type: FileType
        var size: Int64?
        /// As in ``FTPDate``.
        var modified: String?
        var precision: Double?
        var mode: UInt16?
        var target: String?
        var owner: String?
        var group: String?
        var identity: String?

        init(
            _ name: String, _ type: FileType = .regular, _ size: Int64? = nil, _ modified: String? = nil,
            _ precision: Double? = nil,
            mode: UInt16? = nil, target: String? = nil, owner: String? = nil, group: String? = nil,
            identity: String? = nil
        ) {
            (self.name, self.type, self.size, self.modified) = (name, type, size, modified)
            (self.precision, self.mode, self.target) = (precision, mode, target)
            (self.owner, self.group, self.identity) = (owner, group, identity)
        }

        init(_ entry: FTPEntry) {
            self.init(
                String(decoding: entry.name, as: UTF8.self), entry.type, entry.size,
                entry.modified.flatMap { FTPDate.text($0) },
                entry.timePrecision, mode: entry.permissions,
                target: entry.linkTarget.map { String(decoding: $0, as: UTF8.self) },
                owner: entry.owner, group: entry.group, identity: entry.identity)
        }
    }

    init(_ server: String, _ listing: String, _ items: Item...) {
        (self.server, self.listing, self.items) = (server, listing, items)
    }

    static let now = Date(timeIntervalSince1970: 1_552_219_200)

    static let unix: [ListingSample] = [
        .init(
            "vsftpd", "-rw-r--r--    1 1000     1000         4096 Jan 05 12:30 report.txt",
            .init("report.txt", .regular, 4096, "20190105123000", 60, mode: 0o644, owner: "1000", group: "1000")),
        .init(
            "vsftpd, a folder", "drwxr-xr-x    2 ftp      ftp          4096 Nov 30  2017 pub",
            .init("pub", .directory, nil, "20171130000000", 86_400, mode: 0o755, owner: "ftp", group: "ftp")),
        .init(
            "vsftpd, a link", "lrwxrwxrwx    1 0        0               7 Feb 01 08:05 current -> v1.2.30",
            .init(
                "current", .symbolicLink, 7, "20190201080500", 60, mode: 0o777, target: "v1.2.30", owner: "0",
                group: "0")),
        .init(
            "ProFTPD", "-rw-rw-r--   1 library  staff     1048576 Mar 10 11:59 The  Two Spaces .epub",
            .init(
                "The  Two Spaces .epub", .regular, 1_048_576, "20190310115900", 60, mode: 0o664, owner: "library",
                group: "staff")),
        .init(
            "ProFTPD, sticky", "drwxrwxrwt   9 root     root         4096 Mar 11 11:00 tmp",
            .init("tmp", .directory, nil, "20190311110000", 60, mode: 0o1777, owner: "root", group: "root")),
        .init(
            "ProFTPD, set user and group", "-rwsr-Sr-T   1 root     wheel         812 May 14  2003 su",
            .init("su", .regular, 812, "20030514000000", 86_400, mode: 0o7744, owner: "root", group: "wheel")),
        .init(
            "Pure-FTPd", "-rw-r--r--    1 501        ftpgroup           12 Dec 31 23:59 ünïcode.txt",
            .init("ünïcode.txt", .regular, 12, "20181231235900", 60, mode: 0o644, owner: "501", group: "ftpgroup")),
        .init(
            "pyftpdlib", "-rw-r--r--   1 owner    group          73 Mar 11 13:00 over-a-day-ahead",
            .init("over-a-day-ahead", .regular, 73, "20180311130000", 60, mode: 0o644, owner: "owner", group: "group")),
        .init(
            "FileZilla Server", "drwxr-xr-x 1 ftp ftp              0 Sep 09  2018 New folder",
            .init("New folder", .directory, nil, "20180909000000", 86_400, mode: 0o755, owner: "ftp", group: "ftp")),
        .init(
            "Serv-U", "-rw-rw-rw-   1 user     group      4294967296 Aug 23 04:22 image.iso",
            .init(
                "image.iso", .regular, 4_294_967_296, "20180823042200", 60, mode: 0o666, owner: "user", group: "group")),
        .init(
            "wu-ftpd, a name with leading spaces", "-r--r--r--   1 0        1           19 Jun 15  1999   motd",
            .init("  motd", .regular, 19, "19990615000000", 86_400, mode: 0o444, owner: "0", group: "1")),
        .init(
            "IIS, in the form of Unix", "----------   1 owner    group         1703936 Jul 10 10:18 ls-lR.Z",
            .init("ls-lR.Z", .regular, 1_703_936, "20180710101800", 60, mode: 0, owner: "owner", group: "group")),
        .init(
            "no column for the group", "-rw-r--r--   1 reader       4096 Jan  5 12:30 a",
            .init("a", .regular, 4096, "20190105123000", 60, mode: 0o644, owner: "reader")),
        .init(
            "an owner with spaces", "-rw-r--r--   1 Domain Admins Power Users    77 Jan  5  2012 policy.inf",
            .init("policy.inf", .regular, 77, "20120105000000", 86_400, mode: 0o644)),
        .init(
            "inode and blocks in front", "  131 8 -rw-r--r-- 1 root sys 7000 Oct  1 2015 table",
            .init("table", .regular, 7000, "20151001000000", 86_400, mode: 0o644, owner: "root", group: "sys")),
        .init(
            "an access list", "-rw-rw----+  1 a b 5 Jan 31 00:00 acl",
            .init("acl", .regular, 5, "20190131000000", 60, mode: 0o660, owner: "a", group: "b")),
        .init(
            "SELinux", "-rw-rw----.  1 a b 5 Jan 31 00:00 sel",
            .init("sel", .regular, 5, "20190131000000", 60, mode: 0o660, owner: "a", group: "b")),
        .init(
            "macOS", "drwxr-xr-x@  1 a b 5 Jan 31 00:00 x.app",
            .init("x.app", .directory, nil, "20190131000000", 60, mode: 0o755, owner: "a", group: "b")),
        .init(
            "many links", "drwxr-xr-x12345 a b 5 Jan 31 00:00 many",
            .init("many", .directory, nil, "20190131000000", 60, mode: 0o755)),
        .init(
            "devices", "crw-rw-rw-   1 root     root       1,   3 Jan  1 00:00 null",
            .init("null", .other, nil, "20190101000000", 60, mode: 0o666)),
        .init(
            "a socket", "srwxr-xr-x 1 mail mail 0 Jan  1 00:00 smtp",
            .init("smtp", .other, 0, "20190101000000", 60, mode: 0o755, owner: "mail", group: "mail")),
        .init(
            "arrows in a link's name", "lrwxrwxrwx 1 a b 6 Jan  1 00:00 to -> from -> target",
            .init(
                "to -> from", .symbolicLink, 6, "20190101000000", 60, mode: 0o777, target: "target", owner: "a",
                group: "b")),
        .init(
            "arrows in a link's target", "lrwxrwxrwx 1 a b 14 Jan  1 00:00 to -> from -> target",
            .init(
                "to", .symbolicLink, 14, "20190101000000", 60, mode: 0o777, target: "from -> target", owner: "a",
                group: "b")),
        .init(
            "links that may not be read", "lrwxrwxrwx 1 a b 0 Jan  1 00:00 l -> \nlrwxrwxrwx 1 a b 0 Jan  1 00:00 m",
            .init("l", .symbolicLink, 0, "20190101000000", 60, mode: 0o777, owner: "a", group: "b"),
            .init("m", .symbolicLink, 0, "20190101000000", 60, mode: 0o777, owner: "a", group: "b")),
        .init(
            "an arrow in a file's name", "-rw-r--r-- 1 a b 6 Jan  1 00:00 a -> b",
            .init("a -> b", .regular, 6, "20190101000000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "a name like a date", "-rw-r--r-- 1 a b 6 Jan  1 00:00 12 Feb  3 10:00 minutes",
            .init("12 Feb  3 10:00 minutes", .regular, 6, "20190101000000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "an owner called May", "-rw-r--r-- 1 may jun 6 Jan  1 00:00 x",
            .init("x", .regular, 6, "20190101000000", 60, mode: 0o644, owner: "may", group: "jun")),
        .init(
            "ls of GNU, long-iso", "-rw-r--r-- 1 a b 6 2019-01-05 12:30 x",
            .init("x", .regular, 6, "20190105123000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "ls of GNU, full-iso", "-rw-r--r-- 1 a b 6 2019-01-05 12:30:15.123456789 +0130 x y",
            .init("x y", .regular, 6, "20190105110015", 1, mode: 0o644, owner: "a", group: "b")),
        .init(
            "ls of BSD, -T", "-rw-r--r-- 1 a b 6 Jan  5 12:30:15 2019 x",
            .init("x", .regular, 6, "20190105123015", 1, mode: 0o644, owner: "a", group: "b")),
        .init(
            "day before month", "-rw-r--r-- 1 a b 6  5 Jan 12:30 x",
            .init("x", .regular, 6, "20190105123000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "German", "insgesamt 8\n-rw-r--r-- 1 a b 6  5. Mär 2018 x\n-rw-r--r-- 1 a b 7 Dez 24 18:00 y",
            .init("x", .regular, 6, "20180305000000", 86_400, mode: 0o644, owner: "a", group: "b"),
            .init("y", .regular, 7, "20181224180000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "French", "-rw-r--r-- 1 a b 6 févr. 14 2018 x",
            .init("x", .regular, 6, "20180214000000", 86_400, mode: 0o644, owner: "a", group: "b")),
        .init(
            "Spanish", "-rw-r--r-- 1 a b 6 ene 14 2018 x",
            .init("x", .regular, 6, "20180114000000", 86_400, mode: 0o644, owner: "a", group: "b")),
        .init(
            "Russian", "итого 4\n-rw-r--r-- 1 a b 6 дек 31 10:00 x",
            .init("x", .regular, 6, "20181231100000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "Japanese", "合計 4\n-rw-r--r-- 1 a b 6  1月  5日 12:30 x",
            .init("x", .regular, 6, "20190105123000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "Macintosh", "-------r--         126     30822    30948 Nov 22  1995 Book.sit",
            .init("Book.sit", .regular, 30_948, "19951122000000", 86_400, mode: 4)),
        .init(
            "Macintosh, a folder", "drwxrwxr-x               folder        2 May 10  1996 network",
            .init("network", .directory, nil, "19960510000000", 86_400, mode: 0o775)),
        .init(
            "ls -F", "total 4\ndrwxr-xr-x 2 a b 512 Jan  5 12:30 sub/",
            .init("sub", .directory, nil, "20190105123000", 60, mode: 0o755, owner: "a", group: "b")),
        .init(
            "a whole folder, with itself",
            "total 12\ndrwxr-xr-x 2 a b 1 Jan  5 12:30 .\ndrwxr-xr-x 2 a b 1 Jan  5 12:30 ..\n-rw-r--r-- 1 a b 1 Jan  5 12:30 ...",
            .init("...", .regular, 1, "20190105123000", 60, mode: 0o644, owner: "a", group: "b")),
        .init(
            "a day that never was",
            "-rw-r--r-- 1 a b 6 Feb 30 12:30 x\n-rw-r--r-- 1 a b 6 Feb 29  2018 y\n-rw-r--r-- 1 a b 6 Jan  5 25:61 z",
            .init("x", .regular, 6, mode: 0o644, owner: "a", group: "b"),
            .init("y", .regular, 6, mode: 0o644, owner: "a", group: "b"),
            .init("z", .regular, 6, mode: 0o644, owner: "a", group: "b")),
        .init(
            "a negative size", "-rw-r--r-- 1 a b -2147483648 Jan  5  2019 big",
            .init("big", .regular, nil, "20190105000000", 86_400, mode: 0o644, owner: "a", group: "b")),
        .init(
            "a size beyond all", "-rw-r--r-- 1 a b 99999999999999999999 Jan  5  2019 big",
            .init("big", .regular, nil, "20190105000000", 86_400, mode: 0o644, owner: "a", group: "b")),
    ]

    static let windows: [ListingSample] = [
        .init(
            "IIS", "01-05-19  12:30PM                12345 web.config",
            .init("web.config", .regular, 12_345, "20190105123000", 60)),
        .init(
            "IIS, a folder", "12-31-98  11:05PM       <DIR>          aspnet client",
            .init("aspnet client", .directory, nil, "19981231230500", 60)),
        .init(
            "IIS, midnight", "01-05-2019  12:00AM           4,294,967,296  image.vhd",
            .init(" image.vhd", .regular, 4_294_967_296, "20190105000000", 60)),
        .init(
            "IIS, a leading space", "01-05-2019  09:00AM       <DIR>           x",
            .init(" x", .directory, nil, "20190105090000", 60)),
        .init("fewer columns", "01-05-19  9:00AM <DIR> x", .init("x", .directory, nil, "20190105090000", 60)),
        .init(
            "Windows CE", "04-27-00  09:09PM       <DIR>          Storage Card",
            .init("Storage Card", .directory, nil, "20000427210900", 60)),
        .init(
            "dir, German", "05.01.2019  14:30    <DIR>          Bücher\n31.12.2018  23:59         1.234.567 b.epub",
            .init("Bücher", .directory, nil, "20190105143000", 60),
            .init("b.epub", .regular, 1_234_567, "20181231235900", 60)),
        .init(
            "dir, American", "01/05/2019  02:30 PM    <JUNCTION>     Old [C:\\Data\\Old]",
            .init("Old", .symbolicLink, nil, "20190105143000", 60, target: "C:\\Data\\Old")),
        .init(
            "dir, a link", "01/05/2019  02:30 PM    <SYMLINKD>     a [b] [..\\c]",
            .init("a [b]", .symbolicLink, nil, "20190105143000", 60, target: "..\\c")),
        .init(
            "dir, ISO", "2019-01-05  14:30                 0 empty", .init("empty", .regular, 0, "20190105143000", 60)),
        .init(
            "13 o'clock in the afternoon", "01-05-19  13:30PM  1 x\n02-30-19  01:30PM  1 y", .init("x", .regular, 1),
            .init("y", .regular, 1)),
    ]
}
