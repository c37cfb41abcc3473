std::ifstream file({path}, std::ios::binary);
std::vector<char> block({bytes});
while (file.read(block.data(), block.size()) || file.gcount() > 0)  // no get() for each character
    use(block.data(), file.gcount());
