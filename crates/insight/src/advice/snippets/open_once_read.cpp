std::ifstream file({path}, std::ios::binary);  // before the loop, not in it
for (std::string line; std::getline(file, line);)
    use(line.data(), line.size());
