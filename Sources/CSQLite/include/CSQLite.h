// SQLite is linked by GRDB, which says of a missing one only that a header is not there.
#ifndef CARREL_CSQLITE_H
#define CARREL_CSQLITE_H
#endif
