import FTPFileProvider
import FileProviderCore
import Foundation

extension ListingSample {
    static let lists = unix + windows + others

    static let others: [ListingSample] = [
        .init(
            "publicfile, EPLF",
            "+i64771.1310722,m1546691400,/,\tshelf\r\n+i64771.1310733,m1546691401,r,s20480,up644,\tnotes, part 2",
            .init("shelf", .directory, nil, "20190105123000", 1, identity: "64771.1310722"),
            .init("notes, part 2", .regular, 20_480, "20190105123001", 1, mode: 0o644, identity: "64771.1310733")),
        .init(
            "NetWare",
            "total 0\nd [R----F--] librarian             512       Jan 26 08:03    books\n"
                + "- [RWCEAFMS] reader             180224       Nov 20 15:27    list.exe",
            .init("books", .directory, nil, "20190126080300", 60, owner: "librarian"),
            .init("list.exe", .regular, 180_224, "20181120152700", 60, owner: "reader")),
        .init(
            "NetWare, without a space", "-[RWCEAFMS] anna 4192 Jan 05 2018 x",
            .init("x", .regular, 4192, "20180105000000", 86_400, owner: "anna")),
        .init(
            "VMS",
            """

            Directory SYS$SYSDEVICE:[BOOKS]

            SHELF.DIR;1          1  7-APR-1998 06:19 [SYSTEM] (RWE,RWE,RE,RE)
            CATALOG.TXT;2      2 30-DEC-1996 17:44:10 [GROUP,ME] (RWED,RWED,RE,RE)
            CATALOG.TXT;1      2 29-DEC-1996 17:44:10 [GROUP,ME] (RWED,RWED,RE,RE)
            A-NAME-THAT-IS-MUCH-LONGER-THAN-ITS-COLUMN.TXT;1
                               17/18  1-JAN-1997 00:01 [SYSTEM] (RWED,,,)
            SECRET.TXT;1  %RMS-E-PRV, insufficient privilege or file protection violation

            Total of 5 files, 22 blocks.
            """,
            .init("SHELF", .directory, nil, "19980407061900", 60, owner: "SYSTEM"),
            .init("CATALOG.TXT", .regular, nil, "19961230174410", 1, owner: "GROUP,ME"),
            .init(
                "A-NAME-THAT-IS-MUCH-LONGER-THAN-ITS-COLUMN.TXT", .regular, nil, "19970101000100", 60, owner: "SYSTEM"),
            .init("SECRET.TXT")),
        .init("VMS, an empty folder", "%DIRECT-W-NOFILES, no files found"),
        .init(
            "IBM i",
            """
            QSYS            81920 03/24/01 05:19:45 *DIR       Catalog/
            QPGMR            3276 18.01.19 12:34:56 *STMF      my file.txt
            LIB             40960 04/12/04 14:19:31 *FILE      LOANS.FILE
            LIB                                     *MEM       LOANS.FILE/LOANS.MBR
            """,
            .init("Catalog", .directory, nil, "20010324051945", 1, owner: "QSYS"),
            .init("my file.txt", .regular, 3276, "20190118123456", 1, owner: "QPGMR"),
            .init("LOANS.FILE", .regular, nil, "20040412141931", 1, owner: "LIB")),
        .init(
            "z/OS, data sets",
            """
            Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname
            SHELF1 3390   2013/06/11  1  200  FB      80  8053  PS  BOOKS.LIST
            SHELF2 3390   2014/02/03  1    3  FB      80  3125  PO  'A.LIB'
            Migrated                                                SAVED.DATA
            Pseudo Directory                                        QUALIFIER
            ARCIVE Not Direct Access Device                         TAPE.DATA
            SHELF3 3390                                        VSAM INDEX.KSDS
            """,
            .init("BOOKS.LIST"), .init("'A.LIB'", .directory), .init("SAVED.DATA"), .init("QUALIFIER", .directory),
            .init("TAPE.DATA"),
            .init("INDEX.KSDS")),
        .init(
            "z/OS, members",
            """
             Name     VV.MM   Created       Changed      Size  Init   Mod   Id
             BOOK      01.01 2012/08/02 2012/11/01 19:47    11    11     0 READER
             PLAIN
            """,
            .init("BOOK", .regular, nil, "20121101194700", 60, owner: "READER"), .init("PLAIN")),
        .init(
            "z/OS, programs",
            """
             Name      Size     TTR   Alias-of AC --------- Attributes --------- Amode Rmode
            CATALOG   000058   000009          00 FO             RN RU            31    ANY
            """,
            .init("CATALOG")),
        .init(
            "OS/2",
            "                 0           DIR   05-12-96   06:36  LETTERS\n               733      A          08-29-97   16:45  letter.1st",
            .init("LETTERS", .directory, nil, "19960512063600", 60),
            .init("letter.1st", .regular, 733, "19970829164500", 60)),
        .init(
            "Tandem",
            """
            File         Code             EOF  Last Modification    Owner  RWEP

            LOAN          101            2048  18-Nov-94 19:48:12 255, 16 "nnnn"
            RENEWS   O      0               0  06-Mar-09 08:47:14 255,255 "oooo"
            """,
            .init("LOAN", .regular, 2048, "19941118194812", 1), .init("RENEWS", .regular, 0, "20090306084714", 1)),
    ]

    static let machine: [ListingSample] = [
        .init(
            "ProFTPD, MLSD",
            "modify=20190105123000;perm=adfrw;size=1234;type=file;unique=801U2A;"
                + "UNIX.group=100;UNIX.groupname=domain users;UNIX.mode=0644;UNIX.owner=1000;UNIX.ownername=reader; a.epub",
            .init(
                "a.epub", .regular, 1234, "20190105123000", 1, mode: 0o644, owner: "reader", group: "domain users",
                identity: "801U2A")),
        .init(
            "ProFTPD, the folder itself",
            "modify=20190105123000;perm=flcdmpe;type=cdir;unique=801U2; .\n"
                + "modify=20190105123000;perm=flcdmpe;type=pdir;unique=801U1; ..\n"
                + "modify=20190105123000;perm=flcdmpe;type=dir;unique=801U3;UNIX.mode=02755; sub",
            .init("sub", .directory, nil, "20190105123000", 1, mode: 0o2755, identity: "801U3")),
        .init(
            "ProFTPD, a link",
            "modify=20190105123000;perm=adfrw;size=7;type=OS.unix=symlink;unique=1;UNIX.mode=0777; l",
            .init("l", .symbolicLink, 7, "20190105123000", 1, mode: 0o777, identity: "1")),
        .init(
            "Pure-FTPd, a link",
            "type=OS.unix=slink:../other place;sizd=4096;modify=20190105123000;UNIX.mode=0777;UNIX.uid=0;UNIX.gid=0;unique=fd01g1f; l",
            .init(
                "l", .symbolicLink, nil, "20190105123000", 1, mode: 0o777, target: "../other place", owner: "0",
                group: "0",
                identity: "fd01g1f")),
        .init(
            "pyftpdlib", "type=dir;size=0;perm=el;modify=20170128030405;unique=fd00g2a; music",
            .init("music", .directory, nil, "20170128030405", 1, identity: "fd00g2a")),
        .init(
            "FileZilla Server", "type=file;size=6442450944;modify=20190105123000.250; big;file=1; x ",
            .init("big;file=1; x ", .regular, 6_442_450_944, "20190105123000", 1)),
        .init(
            "facts in other cases", "TYPE=FILE;Size=5;MODIFY=20190105123000;  =lead",
            .init(" =lead", .regular, 5, "20190105123000", 1)),
        .init("no last semicolon", "type=file;size=5 a;b", .init("a;b", .regular, 5)),
        .init("a device", "type=OS.unix=chr-1/3;modify=19991305000000; null", .init("null", .other)),
        .init(
            "no type", "size=5; a\nperm=el; b\nperm=r; c\n d", .init("a", .regular, 5), .init("b", .directory),
            .init("c"),
            .init("d", .other)),
        .init(
            "a year of 19100", "type=file;size=5;modify=191190105123000; y2k",
            .init("y2k", .regular, 5, "20190105123000", 1)),
        .init(
            "sizes beyond all", "type=file;size=-5; a\ntype=file;size=99999999999999999999; b\ntype=dir;sizd=4096; c",
            .init("a"),
            .init("b"), .init("c", .directory)),
    ]

}
