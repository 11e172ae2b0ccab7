-- Sends the requests of a file, separated by NUL, one after the other.
local requests, place = {}, 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for request in file:read("*a"):gmatch("[^%z]+") do
    requests[#requests + 1] = request
  end
  file:close()
end

function request()
  place = place + 1
  return requests[(place - 1) % #requests + 1]
end
