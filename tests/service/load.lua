-- What wrk asks: seven lookups, then an add, and so on. Each thread has one connection, so that a response belongs to
-- the request before it. At the end a line of JSON says which statuses came, and how many adds of each thread were
-- answered with 200: its keys are wrk-THREAD-1 to wrk-THREAD-COUNT, less those in `refused`.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init()
  turn, tried, answered, adding = 0, 0, 0, false
  refused, statuses = "", ""
  counts = {}
end

function request()
  turn = turn + 1
  adding = turn % 8 == 0
  if adding then
    tried = tried + 1
    return wrk.format("POST", "/add", {}, "wrk-" .. number .. "-" .. tried)
  end
  return wrk.format("GET", "/contains?key=absent-" .. turn)
end

function response(status)
  counts[status] = (counts[status] or 0) + 1
  if adding and status == 200 then answered = tried end
  if adding and status ~= 200 then refused = refused .. " " .. tried end
  statuses = ""
  for code, count in pairs(counts) do statuses = statuses .. code .. " " .. count .. " " end
end

function done(summary)
  for i, thread in ipairs(threads) do
    io.write("thread ", thread:get("number"), " answered ", thread:get("answered"), " statuses ", thread:get("statuses"),
             "refused", thread:get("refused"), "\n")
  end
end
