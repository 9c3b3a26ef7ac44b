-- For wrk: chapters c0.xhtml to c59.xhtml, packed, or with RANGES=1 ranges of 1 MiB of sound.mp3; BASE is the path in front, BYTES the sound's length.
local base, bytes, number = os.getenv("BASE"), tonumber(os.getenv("BYTES")), 0
local ranges = os.getenv("RANGES") == "1"
function request()
  number = number + 1
  if not ranges then return wrk.format("GET", base .. "c" .. number % 60 .. ".xhtml", {["Accept-Encoding"] = "gzip", Host = wrk.headers.Host}) end
  local start = (number * 37 % math.floor(bytes / 1048576)) * 1048576
  return wrk.format("GET", base .. "sound.mp3", {Range = "bytes=" .. start .. "-" .. start + 1048575, Host = wrk.headers.Host})
end
