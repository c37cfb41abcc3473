std::vector<char> room({bytes});
std::fstream file;
file.rdbuf()->pubsetbuf(room.data(), room.size());  // before open, else it is ignored
file.open({path}, mode);                            // mode: as the program opens it now
for (const auto &record : records)
    file << record << '\n';                         // std::endl writes each line at once
