# Sourced by run.sh: a reader application's books, as a driver lists them.

# A library of 10,000 books: one that the application took, and copies of its rows, each with a file.
reader_library() { # FOLDER STAGING
  "$BOOK" "$disk/one.epub" >/dev/null
  reader_serve "$1" "$2"
  "$CARREL" device upload --staging "$2" --collection Shelf "$disk/one.epub" >/dev/null
  reader_stop
  python3 - "$1" <<'END'
import os, sqlite3, sys, uuid
folder = sys.argv[1]
db = sqlite3.connect(os.path.join(folder, "library.sqlite"))
def rows(table, key):
    cursor = db.execute(f"SELECT * FROM {table}")
    return [c[0] for c in cursor.description], cursor.fetchone()
names, book = rows("books", "id")
links = {table: rows(table, "book") for table in ("authors", "subjects", "book_collections")}
first = dict(zip(names, book))
for number in range(2, 10_001):
    new = dict(first, id=number, filename=f"Book {number}.epub", title=f"Book {number}", title_sort=f"Book {number}")
    new["uuid"] = new["uuid_key"] = str(uuid.UUID(int=number))
    os.link(os.path.join(folder, "Books", first["filename"]), os.path.join(folder, "Books", new["filename"]))
    db.execute(f"INSERT INTO books ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", [new[name] for name in names])
    for table, (columns, row) in links.items():
        if row:
            values = dict(zip(columns, row), book=number)
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", [values[name] for name in columns])
db.commit()
db.close()
END
}

reader_serve() { # FOLDER STAGING
  "$CARREL" app serve --library "$1" --staging "$2" >"$disk/served" 2>&1 &
  reader=$!
  local looks=0
  until [ -s "$2/connected.xml" ] && [ -s "$2/library.sqlite" ]; do
    sleep 0.1; looks=$(( looks + 1 ))
    [ "$looks" -lt 300 ] || { echo "run.sh: the reader application did not come up" >&2; cat "$disk/served" >&2; return 1; }
  done
}

reader_stop() { kill -INT "$reader"; wait "$reader" || true; }

reader_books() {
  local run seconds
  mkdir -p "$disk/library" "$disk/staging"
  reader_library "$disk/library" "$disk/staging"
  rm -f "$disk/staging/library.sqlite"
  reader_serve "$disk/library" "$disk/staging"
  echo "10,000 books of a reader application, listed by a driver that knows none yet ($runs runs)"
  start_over carrel
  for run in $(seq "$runs"); do timed "$work/carrel" "$CARREL" device books --json --staging "$disk/staging" >"$disk/books.json"; done
  reader_stop
  judge "books listed" "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$disk/books.json")" "==" 10000
  judge "seconds, the slowest run" "$(largest "$work/carrel" 1)" "<=" 3
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 256
}
