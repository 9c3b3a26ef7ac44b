#!/usr/bin/env python3
"""Checks that the double of `server.py` answers as the documentation of the API says: `python3 server_check.py`."""

import hashlib
import http.client
import json
import socket
import sys
import threading
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
import server  # noqa: E402


class ServerCheck(unittest.TestCase):
    def setUp(self):
        self.server = server.Server(token="right", page=3, quota=1 << 20)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def send(self, method, path, body=b"", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1])
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data, answer.headers

    def call(self, name, argument, token="right"):
        """An RPC: its status, and the value or the summary of the error."""
        headers = {"Content_Type": "application/json", "Authorization": f"Bearer {token}"}
        status, data, answer = self.send("POST", "/2/" + name, json.dumps(argument), **headers)
        if not answer["Content-Type"].startswith("application/json"):
            return status, data.decode()
        value = json.loads(data)
        return status, value["error_summary"] if status != 200 else value

    def content(self, name, argument, body=b"", method="POST", **headers):
        headers |= {"Dropbox_API_Arg": json.dumps(argument), "Authorization": "Bearer right"}
        if "upload" in name:
            headers["Content_Type"] = "application/octet-stream"
        return self.send(method, "/2/files/" + name, body, **headers)

    def upload(self, path, body=b"x", **info):
        status, data, _ = self.content("upload", {"path": path, **info}, body)
        value = json.loads(data)
        return status, value["error_summary"] if status != 200 else value

    def listed(self, argument):
        status, page = self.call("files/list_folder", argument)
        entries = page["entries"]
        while page["has_more"]:
            self.assertLessEqual(len(page["entries"]), 3)
            status, page = self.call("files/list_folder/continue", {"cursor": page["cursor"]})
            entries += page["entries"]
        return [entry["path_display"] for entry in entries], page["cursor"]

    def test_login(self):
        self.assertEqual(self.call("files/list_folder", {"path": ""}, "wrong"), (401, "invalid_access_token/.."))
        status, data, _ = self.send("POST", "/2/files/list_folder", b"{}", Content_Type="application/json")
        self.assertEqual((status, b"Must provide HTTP header" in data), (400, True))
        self.assertEqual(self.call("check/user", {"query": "hi"}), (200, {"result": "hi"}))

    def test_arguments_are_refused_with_400(self):
        for name, argument in [
            ("files/list_folder", {"path": "/"}), ("files/list_folder", {"path": "a"}), ("files/list_folder", {}),
            ("files/list_folder", {"path": "", "more": 1}), ("files/list_folder", {"path": "", "limit": 0}),
            ("files/get_metadata", {"path": ""}), ("files/delete_v2", {"path": ""}), ("files/list_folder", [1]),
            ("files/list_folder/continue", {"cursor": "nonsense"}), ("files/search_v2", {"query": "x" * 1001}),
            ("files/list_folder/longpoll", {"cursor": "x", "timeout": 5}),
        ]:
            status, text = self.call(name, argument)
            self.assertEqual((status, f'"{name}"' in text), (400, True), (name, argument, text))
        self.assertEqual(self.send("GET", "/2/files/list_folder")[0], 405)
        self.assertEqual(self.send("POST", "/2/files/list", b"{}")[0], 404)
        kind = {"Content_Type": "text/html", "Authorization": "Bearer right"}
        self.assertEqual(self.send("POST", "/2/files/list_folder", b'{"path": ""}', **kind)[0], 400)
        self.assertEqual(self.content("upload", {"path": "/a", "client_modified": "yesterday"})[0], 400)
        self.assertEqual(self.content("upload", {"path": "/a", "mode": {".tag": "update", "update": "1"}})[0], 400)

    def test_names(self):
        for path in ["//a", "/a/", "/a\\b", "/a ", "/./a", "/..", "/" + "x" * 256, "/\x7f", "/\ud800"]:
            self.assertEqual(self.upload(path), (409, "path/malformed_path/.."), path)
        self.assertEqual(self.upload("/Desktop.ini"), (409, "path/disallowed_name/.."))
        self.assertEqual(self.upload("/Ünï\n日.txt")[0], 200)
        self.assertEqual(self.call("files/get_metadata", {"path": "/ÜNÏ\n日.TXT"})[1]["name"], "Ünï\n日.txt")

    def test_pages_and_changes(self):
        for number in range(7):
            self.upload(f"/folder/{number}")
        self.assertEqual(self.listed({"path": ""}), (["/folder"], unittest.mock.ANY))
        names, cursor = self.listed({"path": "/FOLDER"})
        self.assertEqual(names, [f"/folder/{number}" for number in range(7)])
        self.assertEqual(len(self.listed({"path": "", "recursive": True})[0]), 8)
        self.assertEqual(self.listed({"path": "/folder", "recursive": True})[0][0], "/folder")
        answers = []
        poll = {"cursor": cursor, "timeout": 30}
        waiting = threading.Thread(target=lambda: answers.append(self.call("files/list_folder/longpoll", poll)))
        waiting.start()
        time.sleep(0.1)
        self.assertEqual(answers, [])
        self.call("files/delete_v2", {"path": "/folder/3"})
        waiting.join()
        self.assertEqual(answers, [(200, {"changes": True})])
        self.upload("/folder/new")
        page = self.call("files/list_folder/continue", {"cursor": cursor})[1]
        told = [(entry[".tag"], entry["path_display"]) for entry in page["entries"]]
        self.assertEqual(told, [("deleted", "/folder/3"), ("file", "/folder/new")])
        self.send("POST", "/double/reset")
        self.assertEqual(self.call("files/list_folder/continue", {"cursor": cursor}), (409, "reset/.."))
        cursor = self.call("files/list_folder/get_latest_cursor", {"path": "/folder"})[1]["cursor"]
        self.call("files/delete_v2", {"path": "/folder"})
        self.assertEqual(self.call("files/list_folder/continue", {"cursor": cursor}), (409, "path/not_found/.."))
        self.assertEqual(self.call("files/list_folder", {"path": "/folder"}), (409, "path/not_found/.."))

    def test_writing_modes(self):
        status, first = self.upload("/a", b"one", client_modified="2020-01-02T03:04:05Z")
        self.assertEqual((status, first["client_modified"]), (200, "2020-01-02T03:04:05Z"))
        self.assertEqual(self.upload("/A", b"one")[1]["rev"], first["rev"])
        self.assertEqual(self.upload("/a", b"one", strict_conflict=True), (409, "path/conflict/file/.."))
        self.assertEqual(self.upload("/a", b"two"), (409, "path/conflict/file/.."))
        self.assertEqual(self.upload("/a", b"two", autorename=True)[1]["name"], "a (1)")
        second = self.upload("/a", b"two", mode={".tag": "update", "update": first["rev"]})[1]
        stale = {".tag": "update", "update": first["rev"]}
        self.assertEqual(self.upload("/a", b"three", mode=stale), (409, "path/conflict/file/.."))
        self.assertEqual(self.upload("/none", b"x", mode=stale, strict_conflict=True)[0], 409)
        self.assertEqual((self.upload("/a", b"3", mode="overwrite")[0], second["id"]), (200, first["id"]))
        self.assertEqual(self.upload("/a/b"), (409, "path/conflict/file_ancestor/.."))
        self.upload("/folder/deep/file")
        self.assertEqual(self.upload("/folder", mode="overwrite"), (409, "path/conflict/folder/.."))
        self.assertEqual(self.upload("/big", b"x" * (1 << 20)), (409, "path/insufficient_space/.."))
        status, data, _ = self.content("upload", {"path": "/a"})
        self.assertEqual(json.loads(data)["error"]["reason"], {".tag": "conflict", "conflict": {".tag": "file"}})

    def test_downloads(self):
        rev = self.upload("/a", b"0123456789")[1]["rev"]
        for wanted, status, body in [
            (None, 200, b"0123456789"), ("bytes=2-4", 206, b"234"), ("bytes=-3", 206, b"789"),
            ("bytes=8-99", 206, b"89"), ("bytes=10-", 416, b"Range Not Satisfiable"), ("bytes=-99", 206, b"0123456789"),
        ]:
            headers = {"Range": wanted} if wanted else {}
            for method in ["GET", "POST"]:
                answer = self.content("download", {"path": "/A"}, method=method, **headers)
                self.assertEqual(answer[:2], (status, body))
                self.assertEqual(json.loads(answer[2]["Dropbox-API-Result"])["rev"], rev)
        tag = answer[2]["ETag"]
        self.assertEqual(self.content("download", {"path": "/a"}, method="GET", If_None_Match=tag)[0], 304)
        self.assertEqual(self.content("download", {"path": "rev:" + rev})[1], b"0123456789")
        self.call("files/create_folder_v2", {"path": "/f"})
        summary = json.loads(self.content("download", {"path": "/f"})[1])["error_summary"]
        self.assertEqual(summary, "path/not_file/..")

    def test_upload_sessions(self):
        start = json.loads(self.content("upload_session/start", {}, b"ab")[1])["session_id"]
        cursor = {"session_id": start, "offset": 2}
        self.assertEqual(self.content("upload_session/append_v2", {"cursor": cursor}, b"cd")[:2], (200, b"null"))
        status, data, _ = self.content("upload_session/append_v2", {"cursor": cursor}, b"cd")
        self.assertEqual((status, json.loads(data)["error"]["correct_offset"]), (409, 4))
        finish = {"cursor": cursor, "commit": {"path": "/whole"}}
        status, data, _ = self.content("upload_session/finish", finish)
        wrong = {".tag": "incorrect_offset", "correct_offset": 4}
        self.assertEqual(json.loads(data)["error"], {".tag": "lookup_failed", "lookup_failed": wrong})
        finish["cursor"]["offset"] = 4
        self.assertEqual(json.loads(self.content("upload_session/finish", finish, b"e")[1])["size"], 5)
        status, data, _ = self.content("upload_session/finish", finish)
        self.assertEqual(json.loads(data)["error_summary"], "lookup_failed/not_found/..")

    def test_uploads_that_break_off_leave_nothing(self):
        head = b'POST /2/files/upload HTTP/1.1\r\nAuthorization: Bearer right\r\nDropbox-API-Arg: {"path": "/cut"}\r\n'
        head += b"Content-Type: application/octet-stream\r\n"
        for rest in [b"Content-Length: 9\r\n\r\n1234", b"Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n"]:
            with socket.create_connection(self.server.server_address) as connection:
                connection.sendall(head + rest)
                connection.shutdown(socket.SHUT_WR)
                self.assertEqual(connection.recv(100), b"")
        self.assertEqual(self.call("files/get_metadata", {"path": "/cut"}), (409, "path/not_found/.."))
        with socket.create_connection(self.server.server_address) as connection:
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n0\r\n\r\n")
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))

    def test_content_hash(self):
        block = b"x" * server.BLOCK
        digests = hashlib.sha256(block).digest() + hashlib.sha256(b"y").digest()
        self.assertEqual(server.content_hash(block + b"y"), hashlib.sha256(digests).hexdigest())
        self.assertEqual(server.content_hash(b""), hashlib.sha256(b"").hexdigest())
        self.assertEqual(self.upload("/a", b"x", content_hash="0"), (409, "content_hash_mismatch/.."))

    def test_moves_copies_and_removal(self):
        rev = self.upload("/From/deep/file", b"x")[1]["rev"]
        pair = {"from_path": "/from", "to_path": "/To/There"}
        self.assertEqual(self.call("files/copy_v2", pair)[1]["metadata"]["path_display"], "/To/There")
        self.assertEqual(self.call("files/copy_v2", pair), (409, "to/conflict/folder/.."))
        self.assertEqual(self.call("files/get_metadata", {"path": "/to/there/DEEP/file"})[0], 200)
        into = {"from_path": "/from", "to_path": "/from/deep/er"}
        self.assertEqual(self.call("files/move_v2", into), (409, "cant_move_folder_into_itself/.."))
        case = {"from_path": "/from", "to_path": "/FROM"}
        self.assertEqual(self.call("files/move_v2", case), (409, "to/conflict/folder/.."))
        self.assertEqual(self.call("files/move_v2", {**pair, "to_path": "/moved"})[0], 200)
        self.assertEqual(self.call("files/move_v2", pair), (409, "from_lookup/not_found/.."))
        stale = {"path": "/moved/deep/file", "parent_rev": rev}
        self.assertEqual(self.call("files/delete_v2", stale), (409, "path_write/conflict/file/.."))
        self.assertEqual(self.call("files/delete_v2", {"path": "/moved"})[0], 200)
        self.assertEqual(self.call("files/delete_v2", {"path": "/moved"}), (409, "path_lookup/not_found/.."))
        self.assertEqual(self.call("files/create_folder_v2", {"path": "/to"}), (409, "path/conflict/folder/.."))

    def test_search(self):
        for name in ["Bat Cave.txt", "batman car.pdf", "cave bat.txt", "other", "bat cabin/inside"]:
            self.upload("/s/" + name)
        found = self.call("files/search_v2", {"query": "bat c", "options": {"path": "/s"}})[1]
        names = [match["metadata"]["metadata"]["name"] for match in found["matches"]]
        self.assertEqual(names, ["bat cabin", "Bat Cave.txt", "cave bat.txt"])
        first = self.call("files/search_v2", {"query": "b", "options": {"max_results": 2}})[1]
        rest = self.call("files/search/continue_v2", {"cursor": first["cursor"]})[1]
        self.assertEqual([len(first["matches"]), len(rest["matches"]), rest["has_more"]], [2, 2, False])
        only = {"query": "bat", "options": {"file_extensions": ["pdf"]}}
        self.assertEqual(len(self.call("files/search_v2", only)[1]["matches"]), 1)

    def test_thumbnails(self):
        picture = server.png(200, 100, 2, [bytes([number]) * 600 for number in range(100)])
        self.upload("/p.png", picture)
        for size, expected in [("w64h64", (64, 32)), ("w1024h768", (200, 100))]:
            argument = {"resource": {".tag": "path", "path": "/p.png"}, "format": "png", "size": size}
            self.assertEqual(server.png_size(self.content("get_thumbnail_v2", argument)[1]), expected)
        media = self.call("files/get_metadata", {"path": "/p.png", "include_media_info": True})[1]["media_info"]
        self.assertEqual(media["metadata"]["dimensions"], {"width": 200, "height": 100})
        for name, summary in [("/a.txt", "unsupported_extension/.."), ("/a.png", "unsupported_image/..")]:
            self.upload(name, b"text")
            answer = self.content("get_thumbnail_v2", {"resource": {".tag": "path", "path": name}})
            self.assertEqual(json.loads(answer[1])["error_summary"], summary)

    def test_links_space_and_limits(self):
        self.upload("/a", b"shared")
        link = self.call("sharing/create_shared_link_with_settings", {"path": "/a"})[1]["url"]
        again = self.call("sharing/create_shared_link_with_settings", {"path": "/a"})
        self.assertEqual(again, (409, "shared_link_already_exists/.."))
        found = self.call("sharing/list_shared_links", {"path": "/a", "direct_only": True})[1]["links"]
        self.assertEqual([found[0]["url"]], [link])
        self.assertEqual(self.send("GET", "/" + link.split("/", 3)[3])[1], b"shared")
        self.assertEqual(self.call("users/get_space_usage", None)[1]["used"], 6)
        self.send("POST", "/double/script", json.dumps({"route": "files/list_folder", "status": 429, "retry_after": 7}))
        headers = {"Content_Type": "application/json", "Authorization": "Bearer right"}
        status, _, answer = self.send("POST", "/2/files/list_folder", b'{"path": ""}', **headers)
        self.assertEqual((status, answer["Retry-After"]), (429, "7"))
        self.assertEqual(self.call("files/list_folder", {"path": ""})[0], 200)
        self.send("POST", "/double/script", json.dumps({"route": "files/delete_v2", "loses_answer": True}))
        with self.assertRaises(http.client.RemoteDisconnected):
            self.call("files/delete_v2", {"path": "/a"})
        self.assertEqual(self.call("files/get_metadata", {"path": "/a"}), (409, "path/not_found/.."))
        counted = json.loads(self.send("POST", "/double/requests")[1])
        self.assertEqual(counted["files/list_folder"], 2)


if __name__ == "__main__":
    unittest.main()
